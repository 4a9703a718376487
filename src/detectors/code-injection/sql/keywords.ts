/** Classes of SQL tokens. Words that start or join constructs have a class of their own; the others share one. */
export const KIND = {
  end: 0,
  word: 1,
  number: 2,
  variable: 3,
  constant: 4,
  quote: 5,
  open: 6,
  close: 7,
  comma: 8,
  semicolon: 9,
  comparison: 10,
  arithmetic: 11,
  dot: 12,
  comment: 13,
  logical: 14,
  /** `not`, `binary`, `!`, `~`: stand before an operand. */
  prefix: 15,
  /** `like`, `between`, `div`: stand between operands. */
  wordOperator: 16,
  union: 17,
  select: 18,
  all: 19,
  from: 20,
  where: 21,
  orderOrGroup: 22,
  by: 23,
  having: 24,
  into: 25,
  case: 26,
  when: 27,
  statement: 28,
  object: 29,
  sqlFunction: 30,
  outfile: 31,
  procedure: 32,
  waitfor: 33,
  limit: 34,
  /** `the`, `a`, `your`: a sentence, not a query. */
  article: 35,
  as: 36,
  condition: 37,
  star: 38,
  other: 39,
  set: 40,
  systemName: 41,
  then: 42,
  any: 43,
} as const;

export type Kind = (typeof KIND)[keyof typeof KIND];

const WORDS: readonly (readonly [Kind, string])[] = [
  [
    KIND.constant,
    "true false null unknown default current_user current_date current_timestamp session_user system_user rownum",
  ],
  [KIND.logical, "and or xor eqv"],
  [KIND.prefix, "not binary"],
  [
    KIND.wordOperator,
    "like rlike regexp ilike between is in div mod sounds collate glob overlaps similar isnull notnull",
  ],
  [KIND.union, "union intersect except minus"],
  [KIND.select, "select"],
  [KIND.all, "all distinct distinctrow"],
  [KIND.any, "any some exists"],
  [KIND.from, "from"],
  [KIND.where, "where"],
  [KIND.orderOrGroup, "order group"],
  [KIND.by, "by"],
  [KIND.having, "having"],
  [KIND.into, "into"],
  [KIND.case, "case"],
  [KIND.when, "when"],
  [KIND.then, "then"],
  [
    KIND.statement,
    "drop delete insert update exec execute declare create alter truncate shutdown grant revoke merge replace call load copy handler begin rename backup restore reconfigure kill revert print attach pragma vacuum go do",
  ],
  [
    KIND.object,
    "table database schema view index user role function procedure trigger login column columns sequence data infile xml quick ignore low_priority delayed transaction proc",
  ],
  [KIND.outfile, "outfile dumpfile"],
  [KIND.procedure, "analyse analyze"],
  [KIND.waitfor, "waitfor"],
  [KIND.limit, "limit offset top fetch lock for"],
  [KIND.article, "the a an this that these those your my our his her their each every following"],
  [KIND.as, "as on using with"],
  [KIND.condition, "if iif"],
  [KIND.set, "set"],
  [
    KIND.systemName,
    "information_schema sysobjects syscolumns sysusers sysdatabases xp_cmdshell xp_dirtree xp_regread xp_fileexist xp_servicecontrol sp_executesql sp_oacreate sp_makewebtask sp_password sp_configure openrowset opendatasource all_tables all_tab_tables all_tab_columns user_tables dba_users pg_catalog pg_stat_user_tables pg_shadow pg_user pg_tables sqlite_master sqlite_schema msysobjects dbms_pipe dbms_lock dbms_xmlgen utl_http utl_inaddr dbms_ldap sys_context v$version master mysql",
  ],
  [
    KIND.sqlFunction,
    "sleep pg_sleep benchmark concat concat_ws group_concat char chr nchar ascii ord substr substring mid hex unhex load_file extractvalue updatexml version user database schema current_database row_count json_keys json_extract elt make_set name_const floor rand convert cast ifnull nullif coalesce count sum max min avg sin cos tan md5 sha1 sha2 length char_length len if iif greatest least exp pow power sqrt bit_and bit_or st_latfromgeohash polygon geometrycollection multipoint linestring gtid_subset uuid_short get_lock release_lock xmltype xmlagg xmlelement string_agg array_agg array_to_json stragg listagg rtrim ltrim trim lower upper reverse replace instr locate position left right lpad repeat space strcmp xp_cmdshell generate_series ctxsys_drithsx object_id db_name host_name is_srvrolemember has_dbaccess fn_listextendedproperty quotename stuff patindex dcount dlookup curdir environ last first currentuser current_user analyse receive_message get_host_address request randomblob zeroblob load_extension typeof sqlite_version bin oct conv field find_in_set insert quote soundex query_to_xml database_to_xml lo_import lo_export pg_read_file pg_ls_dir current_setting inet_server_addr",
  ],
];

/** Words of SQL in lower case with their class. The first class of a word counts. */
export const KEYWORDS: ReadonlyMap<string, Kind> = new Map(
  WORDS.toReversed().flatMap(([kind, words]) => words.split(" ").map((word) => [word, kind] as const)),
);
/** Functions of SQL; a word of another class is one as well where `(` follows. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  WORDS.flatMap(([kind, words]) => (kind === KIND.sqlFunction ? words.split(" ") : [])),
);
export const LONGEST_KEYWORD = Math.max(...[...KEYWORDS.keys()].map((word) => word.length));

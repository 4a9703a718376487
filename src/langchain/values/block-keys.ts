import { wordSet } from "./message-kinds.js";

/**
 * Keys of the content blocks of LangChain, OpenAI, Anthropic, Google and Bedrock. INVARIANT: any other key of a block is a
 * text that rails read.
 */
export const BLOCK_KEYS: ReadonlySet<string> = wordSet(
  // LangChain
  "type id index text annotations citations extras metadata reasoning url data fileId file_id mimeType mime_type",
  "source_type sourceType name title label args toolCallId status output value content error language encoding detail",
  // OpenAI
  "refusal input_text output_text image_url input_audio format file filename file_data file_url audio audio_url",
  "video_url transcript expires_at logprobs phase role summary encrypted_content queries results action code",
  "container_id outputs logs pending_safety_checks result server_label arguments approval_request_id tools call_id",
  "attributes score file_name revised_prompt size quality background output_format",
  // Anthropic
  "thinking signature source media_type cache_control context tool_use_id tool_call_id is_error input caller",
  "server_name cited_text document_title document_index start_char_index end_char_index start_page_number",
  "end_page_number start_block_index end_block_index search_result_index encrypted_index page_age stdout stderr",
  "return_code error_code retrieved_at file_type start_line num_lines total_lines is_file_update old_start old_lines",
  "new_start new_lines lines ttl enabled tool_name tool_references",
  // Google
  "inlineData fileData fileUri file_uri displayName functionCall functionResponse response executableCode",
  "codeExecutionResult outcome thought thoughtSignature videoMetadata startOffset endOffset fps mediaResolution",
  "media_resolution level partMetadata",
  // Bedrock and others
  "image video document bytes uri bucketOwner qualifiers guardContent reasoningContent reasoningText redactedContent",
  "citationsContent searchResult cachePoint document_url reference_ids partial_json json parts",
  "caption alt description note",
);

/** Keys of blocks below which applications and tools put data of their own. */
export const DATA_KEYS: ReadonlySet<string> = wordSet("input args output response value arguments attributes action");

/** Types of blocks whose keys are all in the table; a text under another key is an extra text of the block. */
export const KNOWN_TYPES: ReadonlySet<string> = wordSet(
  "text text-plain text_delta image image_url input_image audio input_audio video media file input_file document",
  "input_text output_text refusal reasoning thinking redacted_thinking search_result web_search_result citation",
  "server_tool_call_result web_search_tool_result code_execution_tool_result mcp_tool_result tool_result",
);

/** Keys whose values name a block, a file or a document. */
export const NAME_KEYS: ReadonlySet<string> = wordSet(
  "name title label filename fileName file_name displayName display_name document_title",
);

export const TEXT_KEYS = new Set(["text", "refusal", "input_text", "output_text", "transcript"]);
export const REASONING_KEYS = ["reasoning", "thinking"] as const;
export const REASONING_TYPES = new Set(["reasoning", "reasoning_content", "thinking", "redacted_thinking"]);
export const DOCUMENT_TYPES = new Set(["text-plain", "file", "document"]);

/** Calls of tools: their arguments are the business of execution rails. */
export const TOOL_TYPES = wordSet(
  "tool_use tool_call tool_call_chunk invalid_tool_call input_json_delta server_tool_use server_tool_call",
  "server_tool_call_chunk function_call functionCall",
);

/** Keys for the bytes of a picture, a sound or a file, or their address. */
export const PLACE_KEYS = wordSet("url uri image_url audio_url video_url file_url fileUri file_uri file_data fileData");

/** Types of blocks that show pictures, play sounds or hand over files. */
export const MEDIA_TYPES: readonly (readonly [RegExp, string])[] = [
  [/image|photo|picture/i, "image"],
  [/audio|sound/i, "audio"],
  [/video/i, "video"],
  [/^media$|file|document|text-plain|container_upload|inlineData/i, "file"],
];

/** Entries that name, place or type a block; they are texts only if they have several words. */
export const LABEL_KEYS = wordSet(
  "type id index role detail format status phase language encoding signature fileId file_id mimeType",
  "mime_type media_type source_type sourceType tool_use_id tool_call_id call_id cache_control",
);

/** Extra data of a block: quotations, details, names. */
export const EXTRA_KEYS = new Set(["annotations", "citations", "extras", "metadata"]);

/** Entries of this data that are texts only if they have several words. */
export const OPAQUE_KEYS = new Set(["type", "id", "signature", "encrypted_index", "encrypted_content"]);

/** Quotations belong to the text they stand at; a changed text would still be quoted there. */
export const QUOTATION_KEYS = ["annotations", "citations"] as const;

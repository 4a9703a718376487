import { type Environment, parse } from "@marcbachmann/cel-js";

const TIMESTAMP = "google.protobuf.Timestamp";
const DURATION = "google.protobuf.Duration";

/** The format of RFC 3339, which CEL prescribes. The library also reads other dates, such as `Sat, 01 Jan 2025 00:00:00 GMT`. */
const DATE_AND_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Least and greatest time of CEL in milliseconds: the beginning of year 1 and the end of year 9999. */
const LEAST_TIME = -62_135_596_800_000;
const GREATEST_TIME = 253_402_300_799_999;

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;
const DURATION_TEXT = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;

const SECONDS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

/** Longest duration of CEL in seconds, about 10,000 years. */
const MOST_SECONDS = 315_576_000_000;

/** Longest text of a duration or a time zone that is read. */
const MAX_LENGTH = 100;

/** Duration of the library, whose class it does not export. */
interface Duration {
  readonly seconds: bigint;
  readonly nanos: number;
  getHours(): bigint;
  getMinutes(): bigint;
  getSeconds(): bigint;
  getMilliseconds(): bigint;
}

const durationOf = parse("duration(text)") as (variables: { readonly text: string }) => Duration;

/** Fields of a time; the day of the year begins with 0, like the month and the day of the month. */
const FIELDS = {
  getFullYear: (date: Date) => date.getUTCFullYear(),
  getMonth: (date: Date) => date.getUTCMonth(),
  getDate: (date: Date) => date.getUTCDate(),
  getDayOfMonth: (date: Date) => date.getUTCDate() - 1,
  getDayOfWeek: (date: Date) => date.getUTCDay(),
  getDayOfYear: (date: Date) => Math.floor((date.getTime() - startOfYear(date)) / 86_400_000),
  getHours: (date: Date) => date.getUTCHours(),
  getMinutes: (date: Date) => date.getUTCMinutes(),
  getSeconds: (date: Date) => date.getUTCSeconds(),
  getMilliseconds: (date: Date) => date.getUTCMilliseconds(),
} as const;

const OF_DURATIONS: ReadonlySet<string> = new Set(["getHours", "getMinutes", "getSeconds", "getMilliseconds"]);

/** Names under which the strict methods are registered, by their names in CEL. The grammar has no such names. */
export const STRICT_METHODS: ReadonlyMap<unknown, string> = new Map(
  Object.keys(FIELDS).map((name) => [name, `${name} of the calendar`]),
);

/**
 * Registers functions on times. Those of the library accept dates that do not exist, such as the 31st of February, and depend on the
 * time zone of the process.
 *
 * @param nameOf - returns the name under which a function is registered
 */
export function registerStrictTimes(
  environment: Environment,
  nameOf: (name: "timestamp" | "duration" | "int") => string,
): void {
  const register = (
    name: "timestamp" | "duration" | "int",
    type: string,
    returnType: string,
    handler: (value: never) => unknown,
  ) =>
    environment.registerFunction({
      name: nameOf(name),
      returnType,
      params: [{ name: "value", type }],
      async: false,
      handler,
    });
  register("timestamp", "string", TIMESTAMP, toTimestamp);
  register("timestamp", "int", TIMESTAMP, (seconds: bigint) => inRange(Number(seconds) * 1000));
  register("timestamp", TIMESTAMP, TIMESTAMP, (date: Date) => date);
  register("duration", "string", DURATION, toDuration);
  register("duration", DURATION, DURATION, (duration: Duration) => duration);
  for (const [type, handler] of [
    [TIMESTAMP, timestampText],
    [DURATION, durationText],
  ] as const) {
    const params = [{ name: "value", type }];
    environment.registerFunction({ name: "string", returnType: "string", params, async: false, handler });
  }
  register("int", TIMESTAMP, "int", (date: Date) => BigInt(Math.floor(date.getTime() / 1000)));
  for (const [name, read] of Object.entries(FIELDS)) {
    const method = { name: STRICT_METHODS.get(name) ?? name, returnType: "int", async: false } as const;
    environment.registerFunction({
      ...method,
      receiverType: TIMESTAMP,
      params: [],
      handler: (date: Date) => BigInt(read(date)),
    });
    environment.registerFunction({
      ...method,
      receiverType: TIMESTAMP,
      params: [{ name: "zone", type: "string" }],
      handler: (date: Date, zone: string) => BigInt(read(new Date(date.getTime() + offsetOf(date, zone)))),
    });
    if (!OF_DURATIONS.has(name)) continue;
    const own = name as Exclude<keyof Duration, "seconds" | "nanos">;
    environment.registerFunction({
      ...method,
      receiverType: DURATION,
      params: [],
      handler: (duration: Duration) => duration[own](),
    });
  }
}

/** INVARIANT: a date that does not exist is an error. `Date` takes the 31st of February for the 3rd of March. */
function toTimestamp(text: string): Date {
  const [, ...parts] = DATE_AND_TIME.exec(text) ?? [];
  const [year = 0, month = 0, day = 0, hour = 24, minute = 60, second = 60] = parts.map(Number);
  const isTime = hour < 24 && minute < 60 && second < 60;
  const calendar = new Date(0);
  calendar.setUTCFullYear(year, month - 1, day);
  const isDate = calendar.getUTCMonth() === month - 1 && calendar.getUTCDate() === day;
  if (!isTime || !isDate) throw new RangeError("the text is not a date and time of RFC 3339");
  return inRange(Date.parse(text.toUpperCase()));
}

function inRange(time: number): Date {
  if (time >= LEAST_TIME && time <= GREATEST_TIME) return new Date(time);
  throw new RangeError("the time is not between the years 1 and 9999");
}

/**
 * Returns the result of `+` or `-` if it is a value of CEL. The library has neither a greatest time nor a longest duration.
 *
 * @throws RangeError for a time outside of the years 1 to 9999, and for a duration longer than 10,000 years
 */
export function boundedSum(sum: unknown): unknown {
  if (sum instanceof Date) return inRange(sum.getTime());
  if (!isDuration(sum) || Math.abs(Number(sum.seconds)) <= MOST_SECONDS) return sum;
  throw new RangeError("the duration is longer than 10,000 years");
}

function isDuration(value: unknown): value is Duration {
  return typeof value === "object" && value !== null && Reflect.get(value, Symbol.toStringTag) === DURATION;
}

/** Returns a time in the format of RFC 3339 in UTC, with as many digits after the second as needed. */
function timestampText(date: Date): string {
  return date.toISOString().replace(/\.?0{0,3}Z$/, "Z");
}

/** Returns a duration in seconds, such as `90s` or `-0.5s`. */
function durationText({ seconds, nanos }: Duration): string {
  const all = seconds * 1_000_000_000n + BigInt(nanos);
  const digits = (all < 0n ? -all : all).toString().padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${all < 0n ? "-" : ""}${digits.slice(0, -9)}${fraction === "" ? "" : `.${fraction}`}s`;
}

function toDuration(text: string): Duration {
  if (/^[+-]?0$/.test(text)) return durationOf({ text: "0s" });
  if (text.length > MAX_LENGTH || !DURATION_TEXT.test(text)) throw new RangeError("the text is not a duration");
  let seconds = 0;
  for (const [, amount, unit = ""] of text.matchAll(PART)) seconds += Number(amount) * (SECONDS[unit] ?? Number.NaN);
  if (!(seconds <= MOST_SECONDS)) throw new RangeError("the duration is longer than 10,000 years");
  return durationOf({ text });
}

function startOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return start.getTime();
}

const FIXED = /^([+-]?)(\d\d):(\d\d)$/;
const SHOWN = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

const zones = new Map<string, Intl.DateTimeFormat>();
const MAX_ZONES = 100;

/**
 * Returns the difference of a time zone from UTC in milliseconds.
 *
 * @param zone - `+02:00`, `02:00`, or a name such as `Europe/Berlin`
 */
function offsetOf(date: Date, zone: string): number {
  const fixed = FIXED.exec(zone);
  if (fixed !== null) {
    const [hours, minutes] = [Number(fixed[2]), Number(fixed[3])];
    if (hours > 23 || minutes > 59) throw new RangeError("the time zone does not exist");
    return (fixed[1] === "-" ? -60_000 : 60_000) * (60 * hours + minutes);
  }
  const parts = formatOf(zone).formatToParts(date);
  const shown = SHOWN.exec(parts.find(({ type }) => type === "timeZoneName")?.value ?? "");
  if (shown === null) throw new RangeError("the time zone has no known difference from UTC");
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = shown;
  const difference = 1000 * (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds));
  return sign === "-" ? -difference : difference;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  if (zone.length > MAX_LENGTH || !/^[A-Za-z]/.test(zone)) throw new RangeError("the time zone does not exist");
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  if (zones.size >= MAX_ZONES) zones.clear();
  zones.set(zone, format);
  return format;
}

import { wordSet } from "./message-kinds.js";

/** Block types whose keys are all in the table; text under any other key is extra text of the block. */
export const KNOWN_TYPES: ReadonlySet<string> = wordSet(
  "text text-plain text_delta image image_url input_image audio input_audio video media file input_file document",
  "input_text output_text refusal reasoning thinking redacted_thinking search_result web_search_result citation",
  "server_tool_call_result web_search_tool_result code_execution_tool_result mcp_tool_result tool_result",
);

/** Other types without text: sources, caches and citations. */
export const CODE_TYPES: ReadonlySet<string> = wordSet(
  "base64 url content ephemeral persistent custom non_standard container_upload url_citation file_citation file_path",
  "char_location page_location content_block_location summary_text executableCode codeExecutionResult functionResponse",
  "input_json_delta mcp_call image_generation_call tool_reference audio_url video_url image_file guardContent",
);

import { GuardrailsError } from "../../diagnostics/errors.js";

/** A template that cannot be rendered with the values at hand. */
export class TemplateError extends GuardrailsError {
  static override readonly kind: string = "TemplateError";

  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, { code: options.code ?? "PR-101", cause: options.cause });
  }
}

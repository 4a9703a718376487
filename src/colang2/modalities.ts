/** The channel of an action, and the policy of the action server when two actions use it. */
export interface Modality {
  readonly modality: string;
  readonly policy: "parallel" | "override" | "replace";
}

const MODALITIES: ReadonlyMap<string, Modality> = new Map([
  ["UtteranceUserAction", { modality: "user_speech", policy: "replace" }],
  ["UtteranceBotAction", { modality: "bot_speech", policy: "replace" }],
  ["GestureUserAction", { modality: "user_gesture", policy: "parallel" }],
  ["GestureBotAction", { modality: "bot_gesture", policy: "override" }],
  ["FacialGestureUserAction", { modality: "user_face", policy: "replace" }],
  ["FacialGestureBotAction", { modality: "bot_face", policy: "replace" }],
  ["PostureBotAction", { modality: "bot_posture", policy: "override" }],
  ["PositionBotAction", { modality: "bot_position", policy: "override" }],
  ["PresenceUserAction", { modality: "user_presence", policy: "parallel" }],
  ["AttentionUserAction", { modality: "user_engagement", policy: "parallel" }],
  ["VisualInformationSceneAction", { modality: "information", policy: "override" }],
  ["VisualChoiceSceneAction", { modality: "information", policy: "override" }],
  ["VisualFormSceneAction", { modality: "information", policy: "override" }],
  ["ShotCameraAction", { modality: "camera_shot", policy: "override" }],
  ["MotionEffectCameraAction", { modality: "camera_motion_effect", policy: "override" }],
  ["TimerBotAction", { modality: "time", policy: "parallel" }],
]);

/** Returns the modality of a standard action; undefined for every other one, which competes with all actions. */
export function modalityOf(action: string): Modality | undefined {
  return MODALITIES.get(action);
}

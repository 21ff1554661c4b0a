/** The name of the built-in model with which Parley can be tried without another one. */
export const DEMO_MODEL = "demo";

import { ask } from "../src/app/operations/ask.js";
import { slash } from "./slash.js";

export default slash(ask);

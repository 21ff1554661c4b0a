import { usage } from "../src/app/operations/usage.js";
import { slash } from "./slash.js";

export default slash(usage);

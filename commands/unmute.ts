import { unmute } from "../src/app/operations/unmute.js";
import { slash } from "./slash.js";

export default slash(unmute);

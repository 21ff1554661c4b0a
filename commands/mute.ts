import { mute } from "../src/app/operations/mute.js";
import { slash } from "./slash.js";

export default slash(mute);

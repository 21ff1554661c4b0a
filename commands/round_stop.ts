import { roundStop } from "../src/app/operations/roundStop.js";
import { slash } from "./slash.js";

export default slash(roundStop);

import { roundWhy } from "../src/app/operations/roundWhy.js";
import { slash } from "./slash.js";

export default slash(roundWhy);

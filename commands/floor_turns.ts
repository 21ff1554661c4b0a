import { floorTurns } from "../src/app/operations/floorTurns.js";
import { slash } from "./slash.js";

export default slash(floorTurns);

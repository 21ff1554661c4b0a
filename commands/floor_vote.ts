import { floorVote } from "../src/app/operations/floorVote.js";
import { slash } from "./slash.js";

export default slash(floorVote);

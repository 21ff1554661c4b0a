import { roundPreview } from "../src/app/operations/roundPreview.js";
import { slash } from "./slash.js";

export default slash(roundPreview);

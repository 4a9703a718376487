import { describeMatrix } from "./describe-matrix.js";

describeMatrix("graphs");

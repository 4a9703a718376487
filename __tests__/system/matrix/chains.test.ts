import { describeMatrix } from "./describe-matrix.js";

describeMatrix("chains");

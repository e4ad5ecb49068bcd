/** The drivers of the judges, in parts, and all workloads with their judges. */
@NullMarked
package io.github.stablecut.examples.verification;

import org.jspecify.annotations.NullMarked;

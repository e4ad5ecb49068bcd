/**
 * Checkpoints and truncation: the snapshots in use, the five times of the report (section 2.7.2),
 * and the deletion of what no snapshot needs. Background work of a partition; it reads through the
 * materializer, and never holds the commit lock meanwhile.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.truncation;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

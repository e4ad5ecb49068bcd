/**
 * A partition as a replica of its group: the log that the group agrees on, checkpoints that
 * followers fetch, and reads at followers.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.partition.replicated;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

/** Commands that inspect and change a cluster or a group of data centres. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.command.cluster;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

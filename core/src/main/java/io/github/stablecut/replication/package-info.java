/** Configuration and status of replication between data centres. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.replication;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

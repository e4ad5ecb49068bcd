/** Replication between data centres, as users set it up and watch it. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.replication;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

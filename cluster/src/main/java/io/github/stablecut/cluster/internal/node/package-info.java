/** The composition of a node from the other packages. Only this package depends on all of them. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.node;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

/** A node of a cluster, put together from the other rooms. Nothing else here knows all of them. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.node;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

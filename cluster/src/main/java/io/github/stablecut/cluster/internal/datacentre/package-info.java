/**
 * How a server becomes a data centre of others while it runs: whom it joins, and the exchange of
 * its store. Knows nothing of the protocols by which it is asked to.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.datacentre;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

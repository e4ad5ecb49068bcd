/**
 * Connects a running server to other data centres: chooses the group that it joins, and exchanges
 * its store. Independent of the protocols that request this.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.cluster.internal.datacentre;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

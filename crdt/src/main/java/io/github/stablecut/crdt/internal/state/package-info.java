/** Parts of states that several data types share: sets of events, votes, sums. */
@NullMarked
@CheckReturnValue
package io.github.stablecut.crdt.internal.state;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

/**
 * Which versions stay in memory. The versions themselves lie beside the effects in the index, where
 * a reader finds them without a lock; what is here decides how long (report section 2.4). Losing a
 * version never loses an effect. Also keeps pages of large states that were read last. The only
 * user of Caffeine.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.cache;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

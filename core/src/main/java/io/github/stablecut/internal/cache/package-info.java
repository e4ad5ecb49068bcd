/**
 * Decides which versions stay in memory (report section 2.4). The versions themselves are in the
 * index with the effects, where a reader finds them without a lock. Evicting a version never loses
 * an effect. Also caches recently read pages of large states. The only user of Caffeine.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.internal.cache;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

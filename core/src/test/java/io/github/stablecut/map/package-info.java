/** Tests of the map over any storage. */
@NullMarked
package io.github.stablecut.map;

import org.jspecify.annotations.NullMarked;

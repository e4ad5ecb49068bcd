/** Tests of values as JSON. */
@NullMarked
package io.github.stablecut.crdt.codec.json;

import org.jspecify.annotations.NullMarked;

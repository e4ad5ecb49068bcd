/** Tests of what data centres tell each other. */
@NullMarked
package io.github.stablecut.internal.replication;

import org.jspecify.annotations.NullMarked;

/** What is shown on terminals and elsewhere. */
@NullMarked
package io.github.stablecut.cluster.terminal;

import org.jspecify.annotations.NullMarked;

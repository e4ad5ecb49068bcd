@NullMarked
package io.github.stablecut.sql;

import org.jspecify.annotations.NullMarked;

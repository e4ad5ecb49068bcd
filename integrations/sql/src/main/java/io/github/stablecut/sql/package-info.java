/**
 * Read-only SQL queries of a store's tables and objects, at one snapshot. Apache Calcite parses,
 * plans and executes the queries; this package provides the tables. The only user of Calcite.
 */
@NullMarked
@CheckReturnValue
package io.github.stablecut.sql;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;

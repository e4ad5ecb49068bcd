package io.github.stablecut.sql;

import java.math.RoundingMode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The result types of computations, wide enough for the numbers of the columns. DECIMAL has 38
 * digits; a sum of INT is a BIGINT, one of BIGINT a DECIMAL; averages and deviations of whole
 * numbers are DECIMAL with ten digits after the point. Calcite instantiates this by name.
 * Immutable.
 */
public final class SqlTypeSystem extends RelDataTypeSystemImpl {
  private static final int PRECISION = 38;

  /** Fits the sum of a billion BIGINT; ten more digits remain for fractions of mixed operands. */
  static final int SUM_PRECISION = 28;

  private static final int AVERAGE_SCALE = 10;

  /** The types of quotients, whose scale uses all digits that a DECIMAL has room for. */
  private static final RelDataTypeSystem QUOTIENTS =
      new RelDataTypeSystemImpl() {
        @SuppressWarnings("deprecation") // what Calcite itself still asks
        @Override
        public int getMaxNumericPrecision() {
          return PRECISION;
        }

        @SuppressWarnings("deprecation") // what Calcite itself still asks
        @Override
        public int getMaxNumericScale() {
          return PRECISION;
        }
      };

  /** For Calcite. */
  public SqlTypeSystem() {}

  @Override
  public int getMaxPrecision(SqlTypeName type) {
    return type == SqlTypeName.DECIMAL ? PRECISION : super.getMaxPrecision(type);
  }

  @Override
  public int getMaxScale(SqlTypeName type) {
    return type == SqlTypeName.DECIMAL ? PRECISION : super.getMaxScale(type);
  }

  /**
   * Twice the maximum of a DECIMAL, so that the common type of two keeps both fractions. Calcite
   * would shorten the fractions by the digits needed before the point, and silently truncate
   * numbers. A number that is too large for the common type fails the query.
   */
  @SuppressWarnings("deprecation") // what Calcite itself still asks
  @Override
  public int getMaxNumericPrecision() {
    return 2 * PRECISION;
  }

  @SuppressWarnings("deprecation") // what Calcite itself still asks
  @Override
  public int getMaxNumericScale() {
    return PRECISION;
  }

  @Override
  public int getDefaultPrecision(SqlTypeName type) {
    return type == SqlTypeName.DECIMAL ? PRECISION : super.getDefaultPrecision(type);
  }

  /** As in the conformance of the connections. */
  @Override
  public boolean shouldConvertRaggedUnionTypesToVarying() {
    return true;
  }

  @Override
  public RoundingMode roundingMode() {
    return RoundingMode.HALF_UP;
  }

  @Override
  public @Nullable RelDataType deriveDecimalDivideType(
      RelDataTypeFactory types, RelDataType dividend, RelDataType divisor) {
    return QUOTIENTS.deriveDecimalDivideType(types, dividend, divisor);
  }

  @Override
  public RelDataType deriveSumType(RelDataTypeFactory types, RelDataType argument) {
    RelDataType sum =
        switch (argument.getSqlTypeName()) {
          case TINYINT, SMALLINT, INTEGER -> types.createSqlType(SqlTypeName.BIGINT);
          case BIGINT -> types.createSqlType(SqlTypeName.DECIMAL, SUM_PRECISION, 0);
          case DECIMAL ->
              types.createSqlType(
                  SqlTypeName.DECIMAL,
                  argument.getScale() == 0 ? SUM_PRECISION : PRECISION,
                  argument.getScale());
          case REAL, FLOAT -> types.createSqlType(SqlTypeName.DOUBLE);
          default -> argument;
        };
    return types.createTypeWithNullability(sum, argument.isNullable());
  }

  @Override
  public RelDataType deriveAvgAggType(RelDataTypeFactory types, RelDataType argument) {
    RelDataType average =
        switch (argument.getSqlTypeName()) {
          case TINYINT, SMALLINT, INTEGER, BIGINT ->
              types.createSqlType(SqlTypeName.DECIMAL, PRECISION, AVERAGE_SCALE);
          case DECIMAL ->
              types.createSqlType(
                  SqlTypeName.DECIMAL, PRECISION, Math.max(AVERAGE_SCALE, argument.getScale()));
          case REAL, FLOAT -> types.createSqlType(SqlTypeName.DOUBLE);
          default -> argument;
        };
    return types.createTypeWithNullability(average, argument.isNullable());
  }

  @Override
  public RelDataType deriveCovarType(
      RelDataTypeFactory types, RelDataType first, RelDataType second) {
    return deriveAvgAggType(types, first);
  }
}

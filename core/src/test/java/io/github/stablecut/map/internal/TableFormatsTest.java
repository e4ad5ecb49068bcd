package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.register.LwwRegister;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.storage.RecordId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The byte formats of tables are stable, and invalid bytes are reported. */
class TableFormatsTest {
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.TEXT)
          .clusteringKey("c", ColumnType.INT, SortOrder.DESCENDING)
          .column("v", ColumnType.BLOB)
          .column("w", ColumnType.DOUBLE)
          .index("v");
  private static final Bytes PLACE = Bytes.utf8("map/0");
  private static final TableId ID = new TableId("n", "map/0");

  private static String hex(Bytes bytes) {
    return HexFormat.of().formatHex(bytes.toArray());
  }

  @Test
  void theFormatsAreStable() {
    Schema schema = Schema.of(TABLE, PLACE);

    assertThat(hex(SchemaCodec.encode(schema)))
        .isEqualTo(
            "01"
                + "0001"
                + "00017006"
                + "0001"
                + "00016302"
                + "01"
                + "0002"
                + "00017607"
                + "00000001"
                + "00017705"
                + "00000002"
                + "0001"
                + "000176"
                + "00000003"
                + "00000004");
    assertThat(hex(SchemaCodec.encode(schema.building(Set.of(3)))))
        .startsWith("02" + "0001" + "00017006")
        .endsWith("000176" + "00000003" + "0001" + "00000003" + "00000004");
    assertThat(hex(Catalogue.unfinished(new Catalogue.IndexAt(PLACE, 3)).rest()))
        .isEqualTo("69" + "00000003" + "6d61702f30");
    assertThat(hex(Catalogue.table(ID).rest())).isEqualTo("54" + "6e0001" + "746d61702f300001");
    assertThat(hex(Catalogue.name(TABLE.name()).rest())).isEqualTo("54" + "6e0001" + "6e740001");
    RecordId id = schema.id(TABLE.key("a\0{", 1));
    assertThat(hex(id.partition())).isEqualTo("6100ff7b0001");
    assertThat(hex(id.rest())).isEqualTo("7ffffffe");
    assertThat(hex(RecordNames.key(id, LwwRegister.TYPE).key()))
        .isEqualTo("ff50" + "6100ffff7a0200ff01" + "0001" + "7ffffffe");
    assertThat(hex(Schema.cell(new Column("v", ColumnType.INT), -1))).isEqualTo("027fffffff");
    assertThat(hex(schema.lead(new Column("v", ColumnType.BLOB), Bytes.utf8("x"))))
        .isEqualTo("00000003" + "78" + "0001");
  }

  @Test
  void schemasRoundTrip() {
    Schema schema =
        Schema.of(TABLE, PLACE).changed(TABLE.column("x", ColumnType.TIMESTAMPTZ).index("p"));

    assertThat(schema.building()).isNotEmpty();
    for (Schema one : List.of(schema, schema.building(Set.of()))) {
      assertThat(SchemaCodec.decode(TABLE.name(), ID, PLACE, SchemaCodec.encode(one)))
          .isEqualTo(one);
    }
  }

  @Test
  void reportsInvalidBytes() {
    Random random = new Random(3);
    byte[] schema = SchemaCodec.encode(Schema.unbuilt(TABLE, ID, PLACE)).toArray();
    List<KeyCodec.KeyColumn> parts =
        List.of(
            new KeyCodec.KeyColumn(ColumnType.TEXT, true),
            new KeyCodec.KeyColumn(ColumnType.DATE, false));
    for (int i = 0; i < 50_000; i++) {
      byte[] damaged = Arrays.copyOf(schema, random.nextInt(schema.length + 3));
      for (int changes = random.nextInt(3); changes > 0 && damaged.length > 0; changes--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      byte[] any = new byte[random.nextInt(20)];
      random.nextBytes(any);
      assertReadOrReported(() -> SchemaCodec.decode(TABLE.name(), ID, PLACE, Bytes.wrap(damaged)));
      assertReadOrReported(() -> SchemaCodec.decode(TABLE.name(), ID, PLACE, Bytes.wrap(any)));
      assertReadOrReported(() -> KeyCodec.decode(parts, Bytes.wrap(any)));
      assertReadOrReported(() -> RecordNames.id(PLACE, Bytes.wrap(any)));
      for (ColumnType type : ColumnType.values()) {
        assertReadOrReported(() -> type.decode(Bytes.wrap(any)));
      }
    }
  }

  /** Reads, or reports invalid bytes without any other exception. */
  private static void assertReadOrReported(Supplier<?> reading) {
    try {
      assertThat(reading.get()).isNotNull();
    } catch (FormatException e) {
      assertThat(e).hasMessageMatching("(?s).+");
    }
  }
}

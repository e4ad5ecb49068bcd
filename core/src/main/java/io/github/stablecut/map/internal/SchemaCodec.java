package io.github.stablecut.map.internal;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.map.ClusteringColumn;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Encodes schemas of tables. The bytes contain, in order:
 *
 * <ul>
 *   <li>a version: 1, or 2 if indexes are being built;
 *   <li>the columns of the partition key;
 *   <li>the columns of the clustering key, each with 1 if it is descending;
 *   <li>the other columns, each with its number;
 *   <li>the indexes with their numbers;
 *   <li>in version 2, the numbers of those that are being built;
 *   <li>the next number.
 * </ul>
 *
 * <p>Lists begin with their length in two bytes. Names are encoded as by {@link
 * DataOutputStream#writeUTF}, types and flags in one byte, numbers in four. The name and place of
 * the table are stored elsewhere.
 */
final class SchemaCodec {
  private static final int VERSION = 1;
  private static final int BUILDING = 2;

  private SchemaCodec() {}

  static Bytes encode(Schema schema) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      Table table = schema.table();
      out.writeByte(schema.building().isEmpty() ? VERSION : BUILDING);
      out.writeShort(table.partitionKey().size());
      for (Column column : table.partitionKey()) {
        write(column, out);
      }
      out.writeShort(table.clusteringKey().size());
      for (ClusteringColumn column : table.clusteringKey()) {
        write(column.column(), out);
        out.writeBoolean(column.order() == SortOrder.DESCENDING);
      }
      out.writeShort(table.columns().size());
      for (Column column : table.columns()) {
        write(column, out);
        out.writeInt(number(schema.columnNumbers(), column.name()));
      }
      out.writeShort(table.indexes().size());
      for (String index : table.indexes().stream().sorted().toList()) {
        out.writeUTF(index);
        out.writeInt(number(schema.indexNumbers(), index));
      }
      if (!schema.building().isEmpty()) {
        out.writeShort(schema.building().size());
        for (int index : schema.building().stream().sorted().toList()) {
          out.writeInt(index);
        }
      }
      out.writeInt(schema.nextNumber());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Bytes.wrap(bytes.toByteArray());
  }

  private static int number(Map<String, Integer> numbers, String name) {
    Integer number = numbers.get(name);
    if (number == null) {
      throw new IllegalStateException(name + " has no number");
    }
    return number;
  }

  private static void write(Column column, DataOutputStream out) throws IOException {
    out.writeUTF(column.name());
    out.writeByte(column.type().number());
  }

  /**
   * Returns the schema that some bytes encode.
   *
   * @throws FormatException if there is none
   */
  static Schema decode(TableName name, TableId id, Bytes place, Bytes bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes.toArray()))) {
      Schema schema = read(name, id, place, in);
      if (in.available() > 0) {
        throw new FormatException(
            "the schema of table %s has %d surplus bytes".formatted(name, in.available()));
      }
      return schema;
    } catch (IOException e) {
      throw new FormatException(
          "the schema of table %s is truncated or has an invalid name: %s"
              .formatted(name, e.getMessage()),
          e);
    } catch (IllegalArgumentException e) {
      throw new FormatException(
          "the schema of table %s is invalid: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static Schema read(TableName name, TableId id, Bytes place, DataInputStream in)
      throws IOException {
    int version = in.readUnsignedByte();
    if (version != VERSION && version != BUILDING) {
      throw new FormatException(
          "the schema of table %s has version %d, and this version reads 1 and 2: use a newer version"
              .formatted(name, version));
    }
    List<Column> partitionKey = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      partitionKey.add(readColumn(in));
    }
    List<ClusteringColumn> clusteringKey = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      clusteringKey.add(
          new ClusteringColumn(
              readColumn(in), in.readBoolean() ? SortOrder.DESCENDING : SortOrder.ASCENDING));
    }
    List<Column> columns = new ArrayList<>();
    Map<String, Integer> columnNumbers = new LinkedHashMap<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      Column column = readColumn(in);
      columns.add(column);
      columnNumbers.put(column.name(), in.readInt());
    }
    Set<String> indexes = new HashSet<>();
    Map<String, Integer> indexNumbers = new LinkedHashMap<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      String index = in.readUTF();
      indexes.add(index);
      indexNumbers.put(index, in.readInt());
    }
    Set<Integer> building = new HashSet<>();
    for (int left = version == BUILDING ? in.readUnsignedShort() : 0; left > 0; left--) {
      building.add(in.readInt());
    }
    Schema schema =
        new Schema(
            new Table(name, partitionKey, clusteringKey, columns, indexes),
            id,
            place,
            columnNumbers,
            indexNumbers,
            building,
            in.readInt());
    checkNumbers(schema);
    return schema;
  }

  private static void checkNumbers(Schema schema) {
    List<Integer> numbers = new ArrayList<>(schema.columnNumbers().values());
    numbers.addAll(schema.indexNumbers().values());
    if (new HashSet<>(numbers).size() < numbers.size()
        || numbers.stream().anyMatch(number -> number < 1 || number >= schema.nextNumber())
        || !schema.indexNumbers().values().containsAll(schema.building())) {
      throw new FormatException(
          "the columns and indexes of table %s have invalid numbers: %s, of which %s are being built"
              .formatted(schema.table().name(), numbers, schema.building()));
    }
  }

  private static Column readColumn(DataInputStream in) throws IOException {
    String name = in.readUTF();
    int type = in.readUnsignedByte();
    return new Column(
        name,
        ColumnType.of(type)
            .orElseThrow(
                () -> new FormatException("there is no column type with the number " + type)));
  }
}

using Apache.Arrow;
using Apache.Arrow.Ipc;
using Parquet;
using Parquet.Schema;

namespace Sc2Bridge.Tables;

/// <summary>The file format of tables.</summary>
public enum TableForm
{
    /// <summary>Parquet, compressed with zstd.</summary>
    Parquet,

    /// <summary>Arrow's IPC file format. It is not compressed and can be mapped into memory.</summary>
    Arrow,
}

/// <summary>A table's file.</summary>
internal abstract class TableFile : IAsyncDisposable
{
    /// <summary>Creates a table's file in a folder. The file's extension is the name of the format.</summary>
    internal static async Task<TableFile> CreateAsync(TableForm form, string folder, Table table)
    {
        var file = File.Create(Path.Combine(folder, $"{table.Name}.{form.ToString().ToLowerInvariant()}"));
        try
        {
            return form == TableForm.Arrow
                ? new ArrowTableFile(file, table)
                : new ParquetTableFile(file, await ParquetWriter.CreateAsync(
                    new ParquetSchema(table.Columns.Select(column => column.Parquet)), file,
                    new ParquetOptions { CompressionMethod = CompressionMethod.Zstd, CompressionLevel = System.IO.Compression.CompressionLevel.Fastest }));
        }
        catch
        {
            await file.DisposeAsync();
            throw;
        }
    }

    /// <summary>Writes the table's unwritten rows, as one row group or batch.</summary>
    internal abstract Task WriteAsync(Table table, CancellationToken ct);

    /// <summary>Writes the end of the file and closes it.</summary>
    public abstract ValueTask DisposeAsync();
}

internal sealed class ParquetTableFile(FileStream file, ParquetWriter writer) : TableFile
{
    internal override async Task WriteAsync(Table table, CancellationToken ct)
    {
        using var group = writer.CreateRowGroup();
        foreach (var column in table.Columns)
        {
            await column.WriteAsync(group, ct);
        }

        group.CompleteValidate();
    }

    public override async ValueTask DisposeAsync()
    {
        await using (file)
        {
            await writer.DisposeAsync();
        }
    }
}

internal sealed class ArrowTableFile : TableFile
{
    private readonly Apache.Arrow.Schema _schema;
    private readonly ArrowFileWriter _writer;

    internal ArrowTableFile(FileStream file, Table table)
    {
        _schema = new(table.Columns.Select(column => new Apache.Arrow.Field(column.Parquet.Name, column.Arrow, column.Parquet.IsNullable)), null);
        _writer = new ArrowFileWriter(file, _schema);
        _writer.WriteStart();
    }

    internal override async Task WriteAsync(Table table, CancellationToken ct)
    {
        using var batch = new RecordBatch(_schema, table.Columns.Select(column => column.ToArray()), table.Rows);
        await _writer.WriteRecordBatchAsync(batch, ct);
    }

    public override async ValueTask DisposeAsync()
    {
        using (_writer)
        {
            await _writer.WriteEndAsync();
        }
    }
}

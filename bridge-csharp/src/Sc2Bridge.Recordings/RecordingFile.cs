using Microsoft.Win32.SafeHandles;

namespace Sc2Bridge.Recordings;

/// <summary>A file on disk. Other processes may write, move or delete it at the same time.</summary>
internal sealed class RecordingFile : IRecordingBytes
{
    private readonly SafeFileHandle _file;

    /// <summary>Opens a file.</summary>
    /// <exception cref="RecordingException">The file cannot be opened.</exception>
    public RecordingFile(string path)
    {
        Name = path;
        try
        {
            if (Directory.Exists(path))
            {
                throw new RecordingException(
                    Directory.EnumerateFiles(path, "*.mcap").Order(StringComparer.Ordinal).FirstOrDefault() is { } first
                        ? $"{path} is a folder: give a recording in it, such as {first}"
                        : $"{path} is a folder, and no recording is in it: give the path of a recording");
            }

            _file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
            Length = RandomAccess.GetLength(_file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException
            or NotSupportedException)
        {
            throw new RecordingException($"{path} cannot be opened: {(error is FileNotFoundException or DirectoryNotFoundException ? "there is no such file; give the path of a recording (.mcap)" : error.Message)}", error);
        }
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <inheritdoc/>
    public long Length { get; }

    /// <inheritdoc/>
    public void Read(long offset, Span<byte> target)
    {
        while (target.Length > 0)
        {
            var read = RandomAccess.Read(_file, target, offset);
            if (read == 0)
            {
                throw new EndOfStreamException($"it became shorter while it was read: it ends at byte {offset}");
            }

            target = target[read..];
            offset += read;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();
}

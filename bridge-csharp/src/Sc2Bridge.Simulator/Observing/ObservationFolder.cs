namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Observations from files that replace the world's observations. Each file is one serialized ResponseObservation, which
/// is sent byte for byte, in the order of the file names.
/// </summary>
internal sealed class ObservationFolder
{
    private readonly byte[][] _messages;
    private readonly bool _repeat;
    private int _next;
    private int _saved;

    private ObservationFolder(byte[][] messages, bool repeat) => (_messages, _repeat) = (messages, repeat);

    /// <summary>The number of files.</summary>
    public int Count => _messages.Length;

    /// <summary>Whether the last file has been sent and the folder is not repeated.</summary>
    public bool Done => !_repeat && _next >= _messages.Length;

    /// <summary>Reads a folder and its subfolders: all files with a name that ends in <c>observation.pb</c>, or every file if
    /// no name does.</summary>
    /// <param name="folder">The folder's path.</param>
    /// <param name="repeat">Whether to start again after the last file.</param>
    /// <exception cref="ArgumentException">The folder does not exist or has no files.</exception>
    public static ObservationFolder Read(string folder, bool repeat)
    {
        if (!Directory.Exists(folder))
        {
            throw new ArgumentException($"-observations {folder}: there is no such folder.");
        }

        var all = Directory.GetFiles(folder, "*", SearchOption.AllDirectories);
        var named = all.Where(f => f.EndsWith("observation.pb", StringComparison.Ordinal)).ToArray();
        var files = (named.Length > 0 ? named : all)
            .OrderBy(f => Path.GetRelativePath(folder, f), StringComparer.Ordinal).ToArray();
        return files.Length == 0
            ? throw new ArgumentException(
                $"-observations {folder}: the folder is empty; put ResponseObservation files in it.")
            : new ObservationFolder([.. files.Select(File.ReadAllBytes)], repeat);
    }

    /// <summary>The bytes of the next file. After the last one, its bytes again, as an ended game repeats its last observation.</summary>
    public ReadOnlySpan<byte> Next()
    {
        var message = _messages[Math.Min(_next, _messages.Length - 1)];
        _next++;
        if (_repeat && _next == _messages.Length)
        {
            _next = 0;
        }

        return message;
    }

    /// <summary>Saves the position of the next file.</summary>
    public void Save() => _saved = _next;

    /// <summary>Goes back to the saved position.</summary>
    public void Load() => _next = _saved;

    /// <summary>Goes back to the first file.</summary>
    public void Rewind() => _next = 0;
}

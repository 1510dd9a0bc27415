namespace Sc2Bridge.Simulator.Observing;

/// <summary>
/// Observations from files that take the place of the world's: each file is one serialized ResponseObservation,
/// answered byte for byte, in the order of the names.
/// </summary>
internal sealed class ObservationFolder
{
    private readonly byte[][] _messages;
    private readonly bool _repeat;
    private int _next;
    private int _saved;

    private ObservationFolder(byte[][] messages, bool repeat) => (_messages, _repeat) = (messages, repeat);

    /// <summary>How many there are.</summary>
    public int Count => _messages.Length;

    /// <summary>Whether the last one has been answered and it does not start again.</summary>
    public bool Done => !_repeat && _next >= _messages.Length;

    /// <summary>Reads a folder, subfolders included; every file whose name ends in <c>observation.pb</c>, or, where
    /// there is none, every file.</summary>
    /// <param name="folder">Its path.</param>
    /// <param name="repeat">Whether it starts again after the last.</param>
    /// <exception cref="ArgumentException">It does not exist or holds no file; the message says so.</exception>
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

    /// <summary>The next message's bytes; the last one again when they are done, as an ended game answers it.</summary>
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

    /// <summary>Keeps which message is the next.</summary>
    public void Save() => _saved = _next;

    /// <summary>Goes back to the message that was the next.</summary>
    public void Load() => _next = _saved;

    /// <summary>Starts again at the first.</summary>
    public void Rewind() => _next = 0;
}

using System.Buffers;
using System.Text.Json;
using Sc2Bridge.Encodings;
using Sc2Bridge.Files;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>
/// Writes what a client orders beside what the recorded player did, a line of JSON for each game loop at which either
/// acted; each line is in the file at once, so that a process that is killed leaves them.
/// </summary>
internal sealed class PlaybackLog : IPlaybackLog, IAsyncDisposable
{
    private readonly Action<string> _say;
    private readonly string? _path;
    private FileStream? _file;
    private readonly MessageBuffer _line = MessageBuffer.Rent();
    private readonly MessageBuffer _action = MessageBuffer.Rent();

    /// <summary>Begins a file.</summary>
    /// <param name="path">Where, made anew; null for none.</param>
    /// <param name="say">Gets lines for people.</param>
    /// <exception cref="IOException">It cannot be written.</exception>
    public PlaybackLog(string? path, Action<string> say)
    {
        (_path, _say) = (path, say);
        try
        {
            _file = path is null ? null : OutputPath.Replace(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
        {
            Release();
            throw FailedWrites(error);
        }
    }

    /// <inheritdoc/>
    public void Say(string line) => _say(line);

    /// <inheritdoc/>
    public void Began(uint perspective) => Write(line => line.WriteNumber("perspective"u8, perspective));

    /// <inheritdoc/>
    public void Acted(
        uint gameLoop, IReadOnlyList<SC2APIProtocol.Action> client, IReadOnlyList<SC2APIProtocol.Action> recorded) =>
        Write(line =>
        {
            line.WriteNumber("gameLoop"u8, gameLoop);
            WriteList(line, "client"u8, client);
            WriteList(line, "recorded"u8, recorded);
        });

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_file is not null)
        {
            await _file.DisposeAsync().ConfigureAwait(false);
        }

        Release();
    }

    private IOException FailedWrites(Exception error) =>
        new($"--actions {_path} cannot be written ({error.Message}): name another file.", error);

    private void Release()
    {
        _line.Release();
        _action.Release();
    }

    private void Write(Action<Utf8JsonWriter> fill)
    {
        if (_file is null)
        {
            return;
        }

        _line.Clear();
        using (var line = new Utf8JsonWriter(_line))
        {
            line.WriteStartObject();
            fill(line);
            line.WriteEndObject();
        }

        _line.Write("\n"u8);
        try
        {
            _file.Write(_line.Written.Span);
        }
        catch (IOException full)
        {
            _file.Dispose();
            _file = null;
            throw FailedWrites(full);
        }
    }

    private void WriteList(Utf8JsonWriter line, ReadOnlySpan<byte> name, IReadOnlyList<SC2APIProtocol.Action> actions)
    {
        line.WriteStartArray(name);
        foreach (var action in actions)
        {
            _action.Clear();
            JsonWriter.Write(action, _action);
            line.WriteRawValue(_action.Written.Span, skipInputValidation: true);
        }

        line.WriteEndArray();
    }
}

using System.Buffers;
using System.Text.Json;
using Sc2Bridge.Encodings;
using Sc2Bridge.Files;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Games;

/// <summary>
/// Writes a client's orders next to the recorded player's actions: one line of JSON for each game loop at which one of
/// them acted. Each line is written to the file at once, so that it survives a crash of the process.
/// </summary>
internal sealed class PlaybackLog : IPlaybackLog, IAsyncDisposable
{
    private readonly Action<string> _say;
    private readonly string? _path;
    private FileStream? _file;
    private readonly MessageBuffer _line = MessageBuffer.Rent();
    private readonly MessageBuffer _action = MessageBuffer.Rent();

    /// <summary>Creates the file.</summary>
    /// <param name="path">The file, which replaces an existing file; null to write no file.</param>
    /// <param name="say">Receives lines for the user.</param>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public PlaybackLog(string? path, Action<string> say)
    {
        (_path, _say) = (path, say);
        try
        {
            _file = path is null ? null : OutputPath.OpenReplacement(path);
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
    public void LogStart(uint perspective) => Write(line => line.WriteNumber("perspective"u8, perspective));

    /// <inheritdoc/>
    public void LogActions(
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

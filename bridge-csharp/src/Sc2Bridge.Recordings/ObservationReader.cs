using SC2APIProtocol;
using Sc2Bridge.Recordings.Mcap;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Reads the observations of one or more perspectives, in the order of their arrival, from any position on. It keeps
/// one chunk in memory, or one for each perspective if their next observations are in different chunks. Only one thread
/// at a time may use the readers of a <see cref="RecordingReader"/>.
/// </summary>
/// <remarks>
/// A seek searches each perspective separately. After <see cref="SeekLoop"/>, each perspective continues with its first observation of
/// that loop or of a later loop.
/// </remarks>
public sealed class ObservationReader : IDisposable
{
    private readonly RecordingErrors _errors;
    private readonly Track[] _tracks;
    private Track? _currentTrack;

    internal ObservationReader(RecordingErrors errors, IEnumerable<Track> tracks)
    {
        _errors = errors;
        _tracks = [.. tracks];
    }

    /// <summary>The perspectives.</summary>
    public IEnumerable<uint> Perspectives => _tracks.Select(track => track.Perspective);

    /// <summary>Reads the next observation.</summary>
    /// <param name="observation">The observation. Its bytes are valid until the next call of any method.</param>
    /// <returns>
    /// False at the end of the recording, or at the end of its readable part (see <see cref="RecordingReader.Problem"/>).
    /// </returns>
    /// <exception cref="RecordingException">
    /// The next chunk is damaged, or parsing the observation would take too much memory. Earlier calls returned all
    /// observations before the damage. A seek may skip the damage.
    /// </exception>
    public bool Next(out RecordedObservation observation)
    {
        try
        {
            _currentTrack?.Cursor.Advance();
            _currentTrack = null;
            var chunk = PeekEarliest(out var message);
            if (chunk is null)
            {
                observation = default;
                return false;
            }

            var bytes = chunk.DataOf(message);
            ParsedSize.Check<ResponseObservation>(bytes.Span, _currentTrack!.Cursor.Offset, "the observation", message.Sequence);
            observation = new RecordedObservation(
                _currentTrack.Perspective, message.Sequence, (long)message.PublishTime, (long)message.LogTime, bytes);
            return true;
        }
        catch (Exception error) when (RecordingErrors.IsOfFile(error))
        {
            throw _errors.ToRecordingException(error);
        }
    }

    /// <summary>Moves to the first observation of a step. If the step is not recorded, moves to the next recorded step.</summary>
    /// <exception cref="RecordingException">
    /// The observation is, or may be, in a damaged chunk. The position does not change.
    /// </exception>
    public void SeekStep(ulong step) =>
        Seek(track => track.Search.Find(MessageKey.Sequence, step));

    /// <summary>Moves to the first observation of a game loop. If the loop is not recorded, moves to the next recorded loop.</summary>
    /// <exception cref="RecordingException">
    /// The observation is, or may be, in a damaged chunk. The position does not change.
    /// </exception>
    public void SeekLoop(uint loop) => Seek(track => track.Search.Find(MessageKey.GameLoop, loop));

    /// <summary>Moves to the first observation that arrived at or after a time.</summary>
    /// <param name="observedNs">Nanoseconds of Unix time.</param>
    /// <exception cref="RecordingException">
    /// The observation is, or may be, in a damaged chunk. The position does not change.
    /// </exception>
    public void SeekTime(long observedNs) =>
        Seek(track => track.Search.Find(MessageKey.LogTime, (ulong)Math.Max(0, observedNs)));

    /// <summary>Moves to the observation with an index, in each perspective.</summary>
    /// <param name="index">The index among a perspective's observations, from 0, independent of their step numbers.</param>
    /// <exception cref="RecordingException">
    /// The observation is, or may be, in a damaged chunk. The position does not change.
    /// </exception>
    public void SeekIndex(long index)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(index);
        Seek(track => track.Counts.Find(index));
    }

    /// <summary>Releases the chunks.</summary>
    public void Dispose()
    {
        _currentTrack = null;
        foreach (var track in _tracks)
        {
            track.Cursor.Dispose();
        }
    }

    // Returns the earliest message of all tracks; of two messages with the same time, the message of the lower perspective. For damage, throws
    // an exception only after all observations before the damage were returned.
    private LoadedChunk? PeekEarliest(out MessagePosition message)
    {
        LoadedChunk? chunk = null;
        McapException? damage = null;
        var firstDamagedRegion = int.MaxValue;
        message = default;
        foreach (var track in _tracks)
        {
            try
            {
                if (track.Cursor.Peek(out var candidate) is { } candidateChunk
                    && (chunk is null || candidate.LogTime < message.LogTime))
                {
                    (_currentTrack, message, chunk) = (track, candidate, candidateChunk);
                }
            }
            catch (McapException found)
            {
                damage = found;
                firstDamagedRegion = Math.Min(firstDamagedRegion, track.Cursor.Region);
            }
        }

        if (damage is not null && (chunk is null || chunk.Region > firstDamagedRegion))
        {
            _currentTrack = null;
            throw damage;
        }

        return chunk;
    }

    private void Seek(Func<Track, (int Region, int Message)> find)
    {
        try
        {
            var found = _tracks.Select(find).ToList();
            for (var track = 0; track < _tracks.Length; track++)
            {
                _tracks[track].Cursor.Move(found[track].Region, found[track].Message);
            }

            _currentTrack = null;
        }
        catch (Exception error) when (RecordingErrors.IsOfFile(error))
        {
            throw _errors.ToRecordingException(error);
        }
    }

    internal sealed record Track(uint Perspective, ChannelCursor Cursor, ChannelSearch Search, ChannelCounts Counts);
}

using Sc2Bridge.Protocol;

namespace Sc2Bridge.Bench;

/// <summary>
/// Late steps of the simulated match in a temporary file: in memory they would hide what a measurement of memory is to
/// see. Gone when this is disposed.
/// </summary>
internal sealed class StepsOnDisk : IDisposable
{
    private readonly List<(long Start, int Length)> _places = [];
    private readonly FileStream _file;

    /// <summary>Plays the match and keeps them.</summary>
    /// <param name="count">How many.</param>
    /// <param name="ct">Gives up.</param>
    public StepsOnDisk(int count, CancellationToken ct)
    {
        _file = new FileStream(
            Path.GetTempFileName(), FileMode.Open, FileAccess.ReadWrite, FileShare.None, 1 << 16,
            FileOptions.DeleteOnClose);
        foreach (var step in new MatchSteps(1, SimulatedFrames.LateLoop + count, ct).Skip(SimulatedFrames.LateLoop))
        {
            _places.Add((_file.Position, step.Observation.Length));
            _file.Write(step.Observation);
        }

        _file.Flush();
    }

    /// <summary>How many there are.</summary>
    public int Count => _places.Count;

    /// <summary>Reads one into a pooled buffer, as one from the game is.</summary>
    /// <param name="index">From 0.</param>
    /// <returns>Held once by the caller.</returns>
    public MessageBuffer Read(int index)
    {
        var (start, length) = _places[index];
        var buffer = MessageBuffer.Rent(length);
        RandomAccess.Read(_file.SafeFileHandle, buffer.GetSpan(length)[..length], start);
        buffer.Advance(length);
        return buffer;
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();
}

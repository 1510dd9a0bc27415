namespace Sc2Bridge.Measuring;

/// <summary>The observations that are sent, in rotation: one sent again and again would sit in the caches.</summary>
public sealed class MeasuredFrames
{
    private readonly byte[][] _observations;

    /// <param name="observations">Serialized <c>ResponseObservation</c>s, at least one.</param>
    /// <param name="origin">Where they came from.</param>
    public MeasuredFrames(byte[][] observations, string origin)
    {
        _observations = observations;
        Origin = origin;
    }

    /// <summary>Where they came from.</summary>
    public string Origin { get; }

    /// <summary>How many different ones there are.</summary>
    public int Count => _observations.Length;

    /// <summary>The mean length in bytes.</summary>
    public double MeanLength => _observations.Average(observation => observation.Length);

    /// <summary>Every one, in order.</summary>
    public IReadOnlyList<byte[]> All => _observations;

    /// <summary>The serialized <c>ResponseObservation</c> of a step.</summary>
    public byte[] Observation(ulong step) => _observations[step % (ulong)_observations.Length];

    /// <summary>Writes each to a file of its own, in their order.</summary>
    public void Save(string folder)
    {
        Directory.CreateDirectory(folder);
        for (var index = 0; index < _observations.Length; index++)
        {
            File.WriteAllBytes(Path.Combine(folder, $"{index:0000}.observation.pb"), _observations[index]);
        }
    }

    /// <summary>Every file of a folder, in the order of their names.</summary>
    /// <exception cref="MeasuringException">There are none.</exception>
    public static MeasuredFrames Load(string folder)
    {
        if (!Directory.Exists(folder))
        {
            throw new MeasuringException(
                $"there is no folder {folder}: give --frames a folder of serialized ResponseObservations");
        }

        var files = Directory.GetFiles(folder, "*.pb").Order(StringComparer.Ordinal).ToArray();
        return files.Length > 0
            ? new MeasuredFrames([.. files.Select(File.ReadAllBytes)], $"{files.Length} files of --frames")
            : throw new MeasuringException(
                $"no *.pb in {folder}: give --frames a folder of serialized ResponseObservations");
    }
}

namespace Sc2Bridge.Measuring.Sizes;

/// <summary>What one format takes on a link under one compression, on average over the measured steps.</summary>
/// <param name="Format"><c>protobuf</c> or <c>JSON</c>.</param>
/// <param name="Compression"><c>none</c> or a compressor's name.</param>
/// <param name="Steps">Measured steps.</param>
/// <param name="MinBytes">The smallest message.</param>
/// <param name="MeanBytes">The plain mean, which rates need.</param>
/// <param name="MaxBytes">The largest message.</param>
/// <param name="CompressMs">The 25 % trimmed mean; null where nothing is compressed.</param>
/// <param name="DecompressMs">The same.</param>
/// <param name="TimesFewer">The raw mean over this one.</param>
/// <param name="PaysBelowMbit">
/// The link speed (10^6 bits a second) below which compressing gets a message to the reader sooner: at it, sending the
/// bytes that are saved takes as long as compressing and decompressing. Null where nothing is compressed; 0 where no
/// bytes are saved.
/// </param>
public sealed record SizeRow(
    string Format,
    string Compression,
    long Steps,
    double MinBytes,
    double MeanBytes,
    double MaxBytes,
    double? CompressMs,
    double? DecompressMs,
    double TimesFewer,
    double? PaysBelowMbit)
{
    /// <summary>Megabits (10^6) a second at 16 steps a second.</summary>
    public double MbitAt16 => Mbit(16);

    /// <summary>The same at 22.4 steps a second, the game's own pace.</summary>
    public double MbitAt22 => Mbit(22.4);

    /// <summary>The link speed below which compressing pays.</summary>
    /// <param name="savedBytes">Bytes saved a message.</param>
    /// <param name="spentMs">Compressing and decompressing it.</param>
    /// <returns>10^6 bits a second; 0 where nothing is saved.</returns>
    public static double PaysBelow(double savedBytes, double spentMs) =>
        savedBytes <= 0 ? 0 : savedBytes * 8 / (spentMs * 1000);

    private double Mbit(double stepsPerSecond) => MeanBytes * 8 * stepsPerSecond / 1e6;
}

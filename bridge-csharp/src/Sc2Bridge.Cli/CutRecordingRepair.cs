using System.Globalization;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Cli;

/// <summary>Repairs a recording that was cut off, because its bridge was killed or the disk was full.</summary>
/// <param name="print">Prints a line for each recording.</param>
internal sealed class CutRecordingRepair(Action<string> print)
{
    // A longer recording contains at least one complete chunk.
    private const long LongestWithoutChunk = 8 << 20;

    /// <summary>
    /// Repairs a recording, if no process writes it now. Also deletes the lock file of a process that was killed after it gave the
    /// recording its final name.
    /// </summary>
    /// <param name="path">The recording's final path.</param>
    /// <param name="steps">The match's step log; null if the recording has no step log.</param>
    internal void Repair(string path, string? steps)
    {
        var partial = PartialFile.PathFor(path);
        if (File.Exists(partial) ? OutputPath.IsOwnFile(partial) && BeginsAsRecording(partial) : OutputPath.IsOwnFile(LockFile.PathFor(path)))
        {
            using var lockFile = TryLock(path);
            if (lockFile is not null && File.Exists(partial))
            {
                RepairLocked(path, partial, steps);
            }
            else if (lockFile is null && File.Exists(partial) && LockFile.DescribeIfUncertain(LockFile.PathFor(path)) is { } doubt)
            {
                print($"{partial} is left as it is: {doubt}");
            }
        }
    }

    // In a folder that cannot be written to, nothing is repaired.
    private static LockFile? TryLock(string path)
    {
        try
        {
            return LockFile.TryAcquire(LockFile.PathFor(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private void RepairLocked(string path, string partial, string? steps)
    {
        if (new FileInfo(path) is { Exists: true, Length: > 0 })
        {
            // The process was killed right after it gave the recording its final name.
            File.Delete(partial);
            return;
        }

        var observedSteps = steps is null ? null : CountRows(steps);
        long kept;
        try
        {
            using var cut = RecordingReader.Open(partial);
            kept = cut.Perspectives.Sum(cut.Count);
        }
        catch (RecordingException damage) when (new FileInfo(partial).Length > LongestWithoutChunk)
        {
            print($"{path} was cut off and cannot be repaired: {damage.Message}");
            return;
        }
        catch (RecordingException)
        {
            // The file has no complete chunk, because the match had just begun.
            File.Delete(partial);
            if (observedSteps > 0)
            {
                print($"{path} was cut off before its first chunk: 0 steps kept, {observedSteps} lost");
            }

            return;
        }

        try
        {
            // An earlier repair that was killed may have left this file.
            var target = path + ".repaired";
            File.Delete(target);
            RecordingRepair.Repair(partial, target, CancellationToken.None);
            PartialFile.Commit(target, path);
            File.Delete(partial);
        }
        catch (Exception error) when (error is RecordingException or IOException or UnauthorizedAccessException)
        {
            print($"{path} was cut off and cannot be repaired: {error.Message}");
            return;
        }

        var lost = observedSteps is { } all
            ? string.Create(CultureInfo.InvariantCulture, $"{Math.Max(0, all - kept)} lost")
            : "steps of its last two seconds may be lost";
        print(string.Create(CultureInfo.InvariantCulture, $"{path} was cut off, and is repaired: {kept} steps kept, {lost}"));
    }

    // Other programs use the same file names. The first record identifies a recording of the bridge.
    private static bool BeginsAsRecording(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        Span<byte> begin = stackalloc byte[256];
        begin = begin[..file.ReadAtLeast(begin, begin.Length, throwOnEndOfStream: false)];
        return begin.IsEmpty || begin.IndexOf("sc2bridge"u8) >= 0;
    }

    // The number of observed steps in a step log; null if the step log does not exist.
    private static long? CountRows(string steps)
    {
        var path = File.Exists(PartialFile.PathFor(steps)) ? PartialFile.PathFor(steps) : steps;

        // A row whose second cell is empty is for a skipped step, and does not count.
        return File.Exists(path)
            ? File.ReadLines(path).Skip(1).LongCount(row => row.Split(',') is [_, { Length: > 0 }, ..])
            : null;
    }
}

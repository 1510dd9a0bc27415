using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Google.Protobuf;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>Jobs as they travel, and their names.</summary>
public static partial class Jobs
{
    // The folder's name is short enough for any file system, also with a worker's behind it.
    private const int LongestName = 48;
    private const int HashDigits = 12;

    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithIgnoreUnknownFields(true));

    /// <summary>Gives a job its id, which tells of it and is the same for the same job.</summary>
    /// <param name="job">What it is.</param>
    /// <param name="name">What a person may know it by.</param>
    public static Job Named(Job job, string name)
    {
        ArgumentNullException.ThrowIfNull(job);
        ArgumentNullException.ThrowIfNull(name);
        var words = NoLetter().Replace(name.ToLowerInvariant(), "-").Trim('-');
        var hash = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(Text(new Job(job) { Id = "" }))));
        return new Job(job) { Id = $"{words[..Math.Min(words.Length, LongestName)].Trim('-')}-{hash[..HashDigits]}".TrimStart('-') };
    }

    /// <summary>A job, or a result, as text.</summary>
    public static string Text(IMessage message) => JsonFormatter.Default.Format(message);

    /// <summary>Reads a job that somebody sent.</summary>
    /// <exception cref="FormatException">It is none; the message says why.</exception>
    public static Job Read(ReadOnlySpan<byte> text)
    {
        try
        {
            var job = Parser.Parse<Job>(new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(text));
            return !Id().IsMatch(job.Id) ? throw new FormatException("it is no job: its id is to be of a-z, 0-9 and -, at most 64")
                : job.WhatCase == Job.WhatOneofCase.None ? throw new FormatException("it is no job: it names no match and no record")
                : job;
        }
        catch (Exception error) when (error is InvalidJsonException or InvalidProtocolBufferException or ArgumentException)
        {
            throw new FormatException($"it is no job: {error.Message}", error);
        }
    }

    /// <summary>Reads a <c>result.json</c>.</summary>
    /// <param name="text">What stands in it.</param>
    /// <param name="name">Its name, for the error.</param>
    /// <exception cref="ResultStoreException">It is not a result, for which no job is to blame.</exception>
    public static JobResult ReadResult(string text, string name)
    {
        try
        {
            return Parser.Parse<JobResult>(text);
        }
        catch (Exception error) when (error is InvalidJsonException or InvalidProtocolBufferException)
        {
            throw new ResultStoreException($"{name}: it is no result of a job: {error.Message}", error);
        }
    }

    [GeneratedRegex(@"^[a-z0-9][a-z0-9-]{0,63}\z")]
    private static partial Regex Id();

    [GeneratedRegex("[^a-z0-9]+")]
    private static partial Regex NoLetter();
}

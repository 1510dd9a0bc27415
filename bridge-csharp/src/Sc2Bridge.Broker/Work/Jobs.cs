using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Google.Protobuf;
using Sc2Bridge.V1Alpha1;

namespace Sc2Bridge.Broker.Work;

/// <summary>Reads and writes jobs and results, and makes their ids.</summary>
public static partial class Jobs
{
    // Any file system accepts a name of this length, even with the name of a worker appended.
    private const int LongestName = 48;
    private const int HashDigits = 12;

    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithIgnoreUnknownFields(true));

    /// <summary>Gives a job its id. The id contains the name and a hash of the job, so equal jobs have equal ids.</summary>
    /// <param name="job">The job.</param>
    /// <param name="name">A name that helps users to recognise the job.</param>
    public static Job WithId(Job job, string name)
    {
        ArgumentNullException.ThrowIfNull(job);
        ArgumentNullException.ThrowIfNull(name);
        var words = OtherCharacters().Replace(name.ToLowerInvariant(), "-").Trim('-');
        var hash = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(ToJson(new Job(job) { Id = "" }))));
        return new Job(job) { Id = $"{words[..Math.Min(words.Length, LongestName)].Trim('-')}-{hash[..HashDigits]}".TrimStart('-') };
    }

    /// <summary>Formats a job or a result as JSON.</summary>
    public static string ToJson(IMessage message) => JsonFormatter.Default.Format(message);

    /// <summary>Parses a job from the queue. The input is untrusted.</summary>
    /// <exception cref="FormatException">The text is not a valid job. The message has the reason.</exception>
    public static Job ParseJob(ReadOnlySpan<byte> text)
    {
        try
        {
            var job = Parser.Parse<Job>(new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(text));
            return !Id().IsMatch(job.Id) ? throw new FormatException("not a valid job: its id must consist of a-z, 0-9 and -, at most 64 characters")
                : job.WhatCase == Job.WhatOneofCase.None ? throw new FormatException("not a valid job: it has neither a match nor a record")
                : job;
        }
        catch (Exception error) when (error is InvalidJsonException or InvalidProtocolBufferException or ArgumentException)
        {
            throw new FormatException($"not a valid job: {error.Message}", error);
        }
    }

    /// <summary>Parses a <c>result.json</c>.</summary>
    /// <param name="text">The file's text.</param>
    /// <param name="name">The name of the file, for the error.</param>
    /// <exception cref="ResultStoreException">The text is not a result.</exception>
    public static JobResult ParseResult(string text, string name)
    {
        try
        {
            return Parser.Parse<JobResult>(text);
        }
        catch (Exception error) when (error is InvalidJsonException or InvalidProtocolBufferException)
        {
            throw new ResultStoreException($"{name}: not a job's result: {error.Message}", error);
        }
    }

    [GeneratedRegex(@"^[a-z0-9][a-z0-9-]{0,63}\z")]
    private static partial Regex Id();

    [GeneratedRegex("[^a-z0-9]+")]
    private static partial Regex OtherCharacters();
}

/*
 * resident_worth.h
 *		What is worth asking the device process for.
 */
#ifndef WA_SCAN_RESIDENT_WORTH_H
#define WA_SCAN_RESIDENT_WORTH_H

/* Tells whether a relation of so many blocks is worth asking for. */
extern bool wa_resident_is_large(double nblocks);

/* Returns how many groups are worth asking for, of so many blocks. */
extern double wa_resident_most_groups(double nblocks, int nworkers);

/*
 * Tells whether to have so many groups sent is likely to be faster than to read so
 * many blocks with a number of workers beside us.
 */
extern bool wa_resident_takes_groups(double nblocks, double ngroups,
									 int nworkers);

/*
 * Returns how many processes' memory a query may take in the device process, whose
 * threads do what that many would: those of a plan with so many workers.
 */
extern int wa_resident_shares(int nworkers);

#endif /* WA_SCAN_RESIDENT_WORTH_H */
